// go-zero's RedisLock behind the line protocol of interop/PROTOCOL.md.
package main

import (
	"os"
	"time"

	"github.com/zeromicro/go-zero/core/logx"
	"github.com/zeromicro/go-zero/core/stores/redis"

	"holdfast.interop/driver"
)

type client struct{ store *redis.Redis }

type lock struct {
	*redis.RedisLock
	every time.Duration
}

func (c client) Hello() string {
	return "go-zero " + driver.VersionOf("github.com/zeromicro/go-zero") + " " + driver.Go
}

func (c client) NewLock(name string, lease time.Duration) driver.Lock {
	return c.lockThatTries(20*time.Millisecond, name, lease)
}

func (c client) NewCountingLock(name string, lease time.Duration) driver.Lock {
	return c.lockThatTries(time.Millisecond, name, lease)
}

func (c client) lockThatTries(every time.Duration, name string, lease time.Duration) driver.Lock {
	made := redis.NewRedisLock(c.store, name)
	made.SetExpire(int(lease / time.Second)) // go-zero adds 500 ms
	return lock{made, every}
}

func (l lock) Try() (bool, error) { return l.RedisLock.Acquire() }

// Acquire retries, as users of go-zero do: go-zero has only the single try.
func (l lock) Acquire(wait time.Duration) (bool, error) {
	for end := time.Now().Add(wait); ; time.Sleep(l.every) {
		if ok, err := l.Try(); ok || err != nil || time.Now().After(end) {
			return ok, err
		}
	}
}

// Reenter and Renew are the same: the holder's try restores the whole lease.
func (l lock) Reenter() (bool, error) { return l.Try() }
func (l lock) Renew() (bool, error)   { return l.Try() }

func main() {
	logx.Disable()
	store, err := redis.NewRedis(redis.RedisConf{Host: "127.0.0.1:" + os.Args[1], Type: "node"})
	if err != nil {
		panic(err)
	}
	driver.Run(client{store})
}
