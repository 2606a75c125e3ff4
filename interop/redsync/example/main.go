// The code of docs/interop.md; tests run it: example PORT[,PORT...]
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredislib "github.com/redis/go-redis/v9"
)

func sellOne() { fmt.Println("sold one") }

func withOneServer(address string) {
	// [doc: redsync]
	server := goredislib.NewClient(&goredislib.Options{Addr: address})
	locks := redsync.New(goredis.NewPool(server))
	stock := locks.NewMutex("stock:1001", redsync.WithExpiry(10*time.Second))
	if err := stock.Lock(); err != nil { // 32 tries, 50 to 250 ms apart
		log.Fatal(err)
	}
	sellOne()
	if ok, err := stock.Unlock(); !ok {
		log.Print("it had ended before: ", err)
	}
	// [end]
}

func withSeveral(addresses []string) {
	// [doc: redsync quorum]
	var pools []redis.Pool
	for _, address := range addresses {
		// By default go-redis needs two seconds to give up a dead server, and redsync waits for all.
		options := goredislib.Options{Addr: address, MaxRetries: -1, DialerRetries: 1}
		pools = append(pools, goredis.NewPool(goredislib.NewClient(&options)))
	}
	stock := redsync.New(pools...).NewMutex("stock:1001", redsync.WithExpiry(10*time.Second))
	// [end]
	if err := stock.Lock(); err != nil {
		log.Fatal(err)
	}
	sellOne()
	stock.Unlock()
}

func main() {
	var addresses []string
	for _, port := range strings.Split(os.Args[1], ",") {
		addresses = append(addresses, "127.0.0.1:"+port)
	}
	if len(addresses) == 1 {
		withOneServer(addresses[0])
	} else {
		withSeveral(addresses)
	}
}
