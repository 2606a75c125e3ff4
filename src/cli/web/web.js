// The page of `holdfast web`. Names, notes and commands are data of others: they only ever become
// text nodes, never markup.

import {durationText, element, modeText, originText, plural, setText} from "./web_text.js";

const byId = (id) => document.getElementById(id);
const lockRows = new Map();  // by lock and hold
const opened = new Set();    // keys of locks whose waiters are shown
let view = {sort: "waiters", filter: ""};
let source = null;           // the EventSource
let sample = null;           // the last `locks` event
let receivedAt = 0;          // of any event, by performance.now()
let sampledAt = 0;           // of the last `locks` event
let meant = null;            // the hold in the dialog

// Times have moved on since the sample.
function drift() { return performance.now() - sampledAt; }
function aged(ms) { return ms === null ? null : ms + drift(); }

function leftText(holder) {
  if (holder.remaining_ms === null) { return "no expiry"; }
  return durationText(holder.remaining_ms - drift()) + (holder.resting ? " resting" : "");
}

// ---- The stream

function connect() {
  if (source) { source.close(); }
  source = new EventSource("locks?sort=" + encodeURIComponent(view.sort) +
                           "&filter=" + encodeURIComponent(view.filter));
  source.addEventListener("locks", (event) => {
    sample = JSON.parse(event.data);
    receivedAt = sampledAt = performance.now();
    showBanner("");
    render();
  });
  source.addEventListener("problem", (event) => {
    receivedAt = performance.now();
    showBanner("The engine cannot be used: " + JSON.parse(event.data).problem +
               (sample ? " The rows are the last that are known." : ""));
  });
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) {
      showBanner("The connection to holdfast web is lost; trying again.");
      return;
    }
    showBanner("holdfast web refuses this page: it was started again with another token, or too " +
               "many pages are open. Open the URL that it has printed.");
    setTimeout(connect, 5000);
  };
}

function showBanner(text) {
  setText(byId("banner"), text);
  byId("banner").hidden = text === "";
  document.body.classList.toggle("stale", text !== "" && sample !== null);
}

function checkSilence() {
  const silence = performance.now() - receivedAt;
  const usual = sample ? Math.max(sample.refresh_ms, sample.walk_ms) * 2 : 0;
  if (receivedAt > 0 && silence > usual + 5000 && byId("banner").hidden) {
    showBanner("No news for " + durationText(silence) + ": the engine does not answer.");
  }
}

// ---- The table of locks

function render() {
  if (!sample) { return; }
  document.body.classList.toggle("read-only", sample.read_only);
  setText(byId("summary"), sample.engine + ": " + plural(sample.all_locks, "lock") + ", " +
          plural(sample.all_holders, "holder") + ", " + plural(sample.all_waiters, "waiter"));
  const shown = sample.locks.length;
  const matching = plural(sample.matching, "lock") + (view.filter ? " match" : "");
  setText(byId("count"), shown < sample.matching
    ? "The first " + shown.toLocaleString("en") + " of " + matching + " are shown; filter to see others"
    : "");
  byId("empty").hidden = shown > 0;
  setText(byId("empty"), view.filter ? "No lock matches the filter." : "No lock is held or waited for.");
  renderLocks();
  renderEvents();
}

function renderLocks() {
  const body = byId("locks").tBodies[0];
  const focused = document.activeElement;
  const wanted = [];
  for (const lock of sample.locks) {
    const holders = lock.holders.length > 0 ? lock.holders : [null];
    holders.forEach((holder, at) => {
      wanted.push(lockRow(lock, holder, holder ? lock.hold_ids[at] : ""));
    });
    if (opened.has(lock.key)) { wanted.push(detailsRow(lock)); }
  }
  const kept = new Set(wanted);
  for (const [key, row] of lockRows) {
    if (!kept.has(row)) {
      row.remove();
      lockRows.delete(key);
    }
  }
  wanted.forEach((row, at) => {
    if (body.rows[at] !== row) { body.insertBefore(row, body.rows[at] ?? null); }
  });
  if (document.activeElement !== focused && focused.isConnected) { focused.focus(); }
}

function rowOf(key, make) {
  let row = lockRows.get(key);
  if (!row) {
    row = make();
    lockRows.set(key, row);
  }
  return row;
}

function makeLockRow(lock) {
  const row = element("tr");
  const name = element("td", "name");
  const toggle = element("button");
  toggle.type = "button";
  toggle.addEventListener("click", () => {
    if (!opened.delete(lock.key)) { opened.add(lock.key); }
    render();
  });
  name.append(toggle);
  row.append(name);
  for (const type of ["", "", "number", "number", "number", "number", "long", "long"]) {
    row.append(element("td", type));
  }
  const breaking = element("button", "danger", "Break");
  breaking.type = "button";
  breaking.addEventListener("click", () => { askToBreak(row.lock, row.holder, row.holdId); });
  const last = element("td", "changes");
  last.append(breaking);
  row.append(last);
  return row;
}

function lockRow(lock, holder, holdId) {
  const row = rowOf("hold " + lock.key + " " + holdId, () => makeLockRow(lock));
  Object.assign(row, {lock, holder, holdId});
  row.dataset.name = lock.name;
  const toggle = row.cells[0].firstChild;
  setText(toggle, lock.name);
  toggle.setAttribute("aria-expanded", String(opened.has(lock.key)));
  const texts = holder
    ? [modeText(lock, holder), originText(holder), holder.token === null ? "-" : String(holder.token),
       durationText(aged(holder.held_ms)), leftText(holder)]
    : ["-", "nobody", "-", "-", "-"];
  texts.push(lock.waiter_count.toLocaleString("en"), holder?.note ?? "", holder?.command ?? "");
  texts.forEach((text, at) => { setText(row.cells[at + 1], text); });
  const left = holder?.remaining_ms;
  row.cells[5].classList.toggle("urgent", Boolean(holder) && !holder.resting &&
                                (left === null || left - drift() < 2000));
  row.cells[6].classList.toggle("many", lock.waiter_count > 0);
  row.classList.toggle("faint", Boolean(holder?.resting));
  const breaking = row.cells[9].firstChild;
  breaking.hidden = !holder || holder.resting;
  breaking.setAttribute("aria-label", "Break " + lock.name + (holder ? ", held by " + originText(holder) : ""));
  return row;
}

function detailsRow(lock) {
  const row = rowOf("details " + lock.key, () => {
    const made = element("tr", "details");
    const cell = element("td");
    cell.colSpan = 10;
    cell.append(element("p"), element("ol"), element("p", "faint"));
    made.append(cell);
    return made;
  });
  const [title, list, more] = row.cells[0].children;
  setText(title, lock.kind + (lock.kind === "semaphore" ? " of " + lock.limit + " permits" : "") +
          ", last token " + (lock.last_token ?? "unknown") + "; " +
          (lock.waiter_count === 0 ? "nobody waits." : "waiters, the next one first:"));
  lock.waiters.forEach((waiter, at) => {
    if (!list.children[at]) { list.append(element("li")); }
    setText(list.children[at], originText(waiter) + ", " + modeText(lock, waiter) + ", waits for " +
            durationText(aged(waiter.waited_ms)) + (waiter.note ? " (" + waiter.note + ")" : "") +
            (waiter.command ? ": " + waiter.command : ""));
  });
  while (list.children.length > lock.waiters.length) { list.lastChild.remove(); }
  const hidden = [[lock.waiter_count - lock.waiters.length, "waiter"],
                  [lock.holder_count - lock.holders.length, "holder"]]
    .filter(([count]) => count > 0).map(([count, word]) => plural(count, "more " + word));
  setText(more, hidden.length > 0 ? "and " + hidden.join(", ") : "");
  return row;
}

// ---- Events

function renderEvents() {
  const body = byId("events").tBodies[0];
  setText(byId("events-note"), sample.events_off
    ? "There are too many holds to compare; use a PATTERN: holdfast web 'stock:*'."
    : sample.events.length === 0 ? "None since this page was opened."
    : "Found by comparing the locks while a page is open; a hold that begins and ends between two " +
      "looks is not seen.");
  sample.events.forEach((event, at) => {
    const row = body.rows[at] ?? body.appendChild(element("tr"));
    const texts = [new Date(event.time).toLocaleTimeString("en-GB"), event.event, event.name,
                   originText(event), event.token === null ? "-" : String(event.token), event.note ?? ""];
    texts.forEach((text, cell) => {
      if (!row.cells[cell]) { row.append(element("td", cell === 4 ? "number" : "long")); }
      setText(row.cells[cell], text);
    });
    row.cells[1].className = "event-" + event.event;
  });
  while (body.rows.length > sample.events.length) { body.lastChild.remove(); }
}

// ---- Breaking

function askToBreak(lock, holder, holdId) {
  meant = {key: lock.key, name: lock.name, token: holder.token ?? 0, holdId};
  const facts = [["Lock", lock.name], ["Held by", originText(holder)],
                 ["For", durationText(aged(holder.held_ms))],
                 ["Token", holder.token ?? "none in this layout"],
                 ["Note", holder.note], ["Command", holder.command],
                 ["Waiters", String(lock.waiter_count)]];
  byId("confirm-facts").replaceChildren(...facts.filter(([, value]) => value !== null)
    .flatMap(([label, value]) => [element("dt", "", label), element("dd", "", String(value))]));
  setText(byId("confirm-yes"), "Break " + lock.name);
  byId("confirm").showModal();
}

async function breakMeant() {
  byId("confirm").close();
  const hold = meant;
  try {
    const response = await fetch("break", {
      method: "POST",
      headers: {"X-Holdfast-Break": "1", "Content-Type": "application/x-www-form-urlencoded"},
      body: "name=" + hold.key + "&token=" + hold.token + "&hold_id=" + hold.holdId,
    });
    showResult((response.ok ? "" : "Not broken. ") + (await response.text()).trim());
  } catch {
    showResult("The connection broke: the table shows whether " + hold.name + " is still held.");
  }
}

let resultTimer = 0;
function showResult(text) {
  setText(byId("result"), text);
  byId("result").hidden = false;
  clearTimeout(resultTimer);
  resultTimer = setTimeout(() => { byId("result").hidden = true; }, 15000);
}

// ---- Controls

function setView(changes) {
  view = {...view, ...changes};
  byId("sort").value = view.sort;
  for (const head of document.querySelectorAll("th[data-sort]")) {
    const ascending = head.dataset.sort === "name" || head.dataset.sort === "left";
    if (head.dataset.sort === view.sort) {
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    } else {
      head.removeAttribute("aria-sort");
    }
  }
  connect();
}

let filterTimer = 0;
byId("filter").addEventListener("input", () => {
  clearTimeout(filterTimer);
  filterTimer = setTimeout(() => { setView({filter: byId("filter").value}); }, 250);
});
byId("sort").addEventListener("change", () => { setView({sort: byId("sort").value}); });
byId("controls").addEventListener("submit", (event) => { event.preventDefault(); });
for (const head of document.querySelectorAll("th[data-sort]")) {
  head.firstChild.addEventListener("click", () => { setView({sort: head.dataset.sort}); });
}
byId("confirm-no").addEventListener("click", () => { byId("confirm").close(); });
byId("confirm-yes").addEventListener("click", breakMeant);

history.replaceState(null, "", location.pathname); // the token is in the cookie from here on
setView({});
setInterval(() => {
  checkSilence();
  render();
}, 1000);
