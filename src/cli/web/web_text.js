// Texts of the page: durations, counts, holders.

export function element(tag, className, text) {
  const out = document.createElement(tag);
  if (className) { out.className = className; }
  if (text !== undefined) { out.textContent = text; }
  return out;
}

export function setText(node, text) {
  if (node.textContent !== text) { node.textContent = text; }
}

// 90061000 -> "1d1h"; as `holdfast ls` writes durations.
export function durationText(ms) {
  if (ms === null) { return "-"; }
  const seconds = Math.floor(Math.max(ms, 0) / 1000);
  const parts = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
  const first = parts.findIndex(([size]) => seconds >= size);
  if (first < 0) { return "0s"; }
  return parts.slice(first, first + 2).reduce((out, [size, unit], at) => {
    const count = Math.floor(at === 0 ? seconds / size : (seconds % parts[first][0]) / size);
    return count > 0 || at === 0 ? out + count + unit : out;
  }, "");
}

export function plural(count, word) {
  return count.toLocaleString("en") + " " + word + (count === 1 ? "" : "s");
}

export function originText(party) {
  if (party.host === null && party.pid === null) { return party.owner; }
  return (party.host ?? "?") + ":" + (party.pid ?? "?");
}

export function modeText(lock, party) {
  return party.mode === "permits" ? party.permits + " of " + lock.limit : party.mode;
}
