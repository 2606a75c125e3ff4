// The code of docs/interop.md; tests run it: java Example PORT

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public final class Example {
    private static void sellOne() {
        System.out.println("sold one");
    }

    public static void main(String[] arguments) {
        String address = "redis://127.0.0.1:" + arguments[0];
        // [doc: redisson]
        Config config = new Config();
        config.useSingleServer().setAddress(address);
        RedissonClient redisson = Redisson.create(config);

        RLock stock = redisson.getLock("stock:1001");
        stock.lock(); // for 30 s; the watchdog renews it
        try {
            sellOne();
        } finally {
            stock.unlock(); // also wakes Holdfast's waiters
        }
        // [end]
        redisson.shutdown();
    }
}
