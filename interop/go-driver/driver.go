// Package driver is shared by the drivers in Go: the line protocol of interop/PROTOCOL.md.
package driver

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Lock is one owner's handle on one name. Its functions are called one at a time.
type Lock interface {
	Try() (bool, error)
	// Acquire tries for up to wait.
	Acquire(wait time.Duration) (bool, error)
	// Reenter locks it again for the same owner.
	Reenter() (bool, error)
	// Renew restores the whole lease; false: it is no longer this owner's.
	Renew() (bool, error)
	// Release returns false if it was not this owner's.
	Release() (bool, error)
}

// Client makes locks.
type Client interface {
	Hello() string
	NewLock(name string, lease time.Duration) Lock
	// NewCountingLock makes a lock that retries as often as it can.
	NewCountingLock(name string, lease time.Duration) Lock
}

type hold struct {
	lock     Lock
	requests chan func()
}

type driver struct {
	client Client
	holds  map[string]*hold
	out    sync.Mutex
}

// Run reads requests until the end of the input.
func Run(client Client) {
	d := &driver{client: client, holds: map[string]*hold{}}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) < 2 || words[1] == "quit" {
			break
		}
		d.handle(words[0], words[1], words[2:])
	}
}

func (d *driver) answer(number, text string) {
	d.out.Lock()
	defer d.out.Unlock()
	fmt.Printf("%s %s\n", number, text)
}

func (d *driver) handle(number, command string, args []string) {
	switch command {
	case "hello":
		d.answer(number, "ok "+d.client.Hello())
	case "try", "acquire", "reenter", "renew", "release":
		h := d.hold(args[0])
		h.requests <- func() { d.answer(number, d.do(h, command, args)) }
	case "intrude":
		lock := d.client.NewLock(args[0], 30500*time.Millisecond)
		ok, err := lock.Release()
		d.answer(number, told(ok, err, "released", "refused"))
	case "count":
		go func() { d.answer(number, d.count(args)) }()
	default:
		d.answer(number, "unsupported")
	}
}

// hold finds or makes the owner, which serves one request at a time.
func (d *driver) hold(name string) *hold {
	h := d.holds[name]
	if h == nil {
		h = &hold{requests: make(chan func(), 16)}
		d.holds[name] = h
		go func() {
			for request := range h.requests {
				request()
			}
		}()
	}
	return h
}

func (d *driver) do(h *hold, command string, args []string) string {
	switch command {
	case "try":
		return d.take(h, args[1], args[2], "0", args[3:])
	case "acquire":
		return d.take(h, args[1], args[2], args[3], args[4:])
	case "reenter":
		ok, err := h.lock.Reenter()
		return told(ok, err, "held", "busy")
	case "renew":
		ok, err := h.lock.Renew()
		return told(ok, err, "renewed", "lost")
	default:
		ok, err := h.lock.Release()
		return told(ok, err, "released", "lost")
	}
}

func (d *driver) take(h *hold, name, lease, wait string, options []string) string {
	length, patience := milliseconds(lease), milliseconds(wait)
	if slices.Contains(options, "watchdog") || slices.Contains(options, "fenced") || length == 0 {
		return "unsupported" // neither library supports it, and every lock of theirs expires
	}
	h.lock = d.client.NewLock(name, length)
	if patience == 0 {
		ok, err := h.lock.Try()
		return told(ok, err, "held", "busy")
	}
	ok, err := h.lock.Acquire(patience)
	return told(ok, err, "held", "busy")
}

func (d *driver) count(args []string) string {
	times, _ := strconv.Atoi(args[1])
	lock := d.client.NewCountingLock(args[0], 30500*time.Millisecond)
	for range times {
		if ok, err := lock.Acquire(10 * time.Minute); !ok {
			return fmt.Sprintf("error not acquired: %v", err)
		}
		err := increment(args[2])
		if ok, _ := lock.Release(); err == nil && !ok {
			err = fmt.Errorf("lost while counting")
		}
		if err != nil {
			return "error " + err.Error()
		}
	}
	return "done " + args[1]
}

func increment(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	value, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strconv.Itoa(value+1)), 0o600)
}

func milliseconds(text string) time.Duration {
	number, _ := strconv.Atoi(text)
	return time.Duration(number) * time.Millisecond
}

func told(ok bool, err error, yes, no string) string {
	if err != nil {
		return "error " + strings.Join(strings.Fields(err.Error()), " ")
	}
	if ok {
		return yes
	}
	return no
}
