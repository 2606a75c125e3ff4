// redsync behind the line protocol of interop/PROTOCOL.md.
package main

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredislib "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"holdfast.interop/driver"
)

type client struct{ *redsync.Redsync }

type lock struct{ *redsync.Mutex }

func (c client) Hello() string {
	return "redsync " + driver.VersionOf("github.com/go-redsync/redsync/v4") +
		" go-redis " + driver.VersionOf("github.com/redis/go-redis/v9") + " " + driver.Go
}

func (c client) NewLock(name string, lease time.Duration) driver.Lock {
	return lock{c.mutex(name, lease)}
}

func (c client) NewCountingLock(name string, lease time.Duration) driver.Lock {
	return lock{c.mutex(name, lease, redsync.WithRetryDelay(time.Millisecond))}
}

// By default redsync gives a node, on a busy machine too, a twentieth of the lease to answer.
func (c client) mutex(name string, lease time.Duration, more ...redsync.Option) *redsync.Mutex {
	more = append(more, redsync.WithExpiry(lease), redsync.WithTries(math.MaxInt),
		redsync.WithTimeoutFactor(0.5))
	return c.NewMutex(name, more...)
}

func (l lock) Try() (bool, error) { return taken(l.TryLock()) }

func (l lock) Acquire(wait time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return taken(l.LockContext(ctx))
}

// Reenter is refused: every try has another value.
func (l lock) Reenter() (bool, error) { return l.Try() }

func (l lock) Renew() (bool, error)   { return owned(l.Extend()) }
func (l lock) Release() (bool, error) { return owned(l.Unlock()) }

// taken distinguishes contention from failure.
func taken(err error) (bool, error) {
	if refused(err) || errors.Is(err, redsync.ErrFailed) {
		return false, nil
	}
	return err == nil, err
}

// owned distinguishes a lock of somebody else, or an expired one, from failure.
func owned(ok bool, err error) (bool, error) {
	if refused(err) || errors.Is(err, redsync.ErrLockAlreadyExpired) {
		return false, nil
	}
	return ok, err
}

// refused: by a majority, or by one server at least while the others were granted or dead.
func refused(err error) bool {
	var most *redsync.ErrTaken
	var one *redsync.ErrNodeTaken
	return errors.As(err, &most) || errors.As(err, &one)
}

// pools connects to the servers. By default go-redis asks a dead server 20 times within two seconds,
// and redsync waits for the answers of all servers.
func pools(ports string) []redis.Pool {
	var all []redis.Pool
	for _, port := range strings.Split(ports, ",") {
		options := goredislib.Options{Addr: "127.0.0.1:" + port, MaxRetries: -1, DialerRetries: 1}
		all = append(all, goredis.NewPool(goredislib.NewClient(&options)))
	}
	return all
}

func main() {
	logging.Disable() // of every connection to a dead server
	driver.Run(client{redsync.New(pools(os.Args[1])...)})
}
