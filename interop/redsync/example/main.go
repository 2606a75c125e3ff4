// The code of docs/interop.md; tests run it: example PORT
package main

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredislib "github.com/redis/go-redis/v9"
)

func sellOne() { fmt.Println("sold one") }

func main() {
	address := "127.0.0.1:" + os.Args[1]
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
