// The code of docs/interop.md; tests run it: example PORT
package main

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/zeromicro/go-zero/core/stores/redis"
)

func sellOne() { fmt.Println("sold one") }

func main() {
	address := "127.0.0.1:" + os.Args[1]
	// [doc: go-zero]
	store := redis.MustNewRedis(redis.RedisConf{Host: address, Type: "node"})
	stock := redis.NewRedisLock(store, "stock:1001")
	stock.SetExpire(10) // 10,500 ms
	for {
		took, err := stock.Acquire() // does not wait
		if err != nil {
			log.Fatal(err)
		}
		if took {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	sellOne()
	stock.Release()
	// [end]
}
