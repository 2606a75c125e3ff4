// Redisson behind the line protocol of interop/PROTOCOL.md. Each hold is a thread of its own, because
// in Redisson a thread owns a lock.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

public final class Driver {
    private static final String CLUSTER = "cluster:";

    private final RedissonClient redisson;
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private final ExecutorService others = Executors.newCachedThreadPool();

    /** One owner: its thread, and what it holds. */
    private static final class Hold {
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        RLock lock;
        Permit permit; // not null: that is held instead
        long leaseMs; // -1: the watchdog's
    }

    private Driver(String servers, long watchdogMs) {
        Config config = new Config();
        config.setLockWatchdogTimeout(watchdogMs);
        config.setThreads(4).setNettyThreads(4);
        if (servers.startsWith(CLUSTER)) {
            config.useClusterServers()
                .setMasterConnectionMinimumIdleSize(4)
                .setMasterConnectionPoolSize(16)
                .setScanInterval(500)
                .setReadMode(ReadMode.MASTER)
                .setSubscriptionMode(SubscriptionMode.MASTER);
            for (String port : servers.substring(CLUSTER.length()).split(",")) {
                config.useClusterServers().addNodeAddress("redis://127.0.0.1:" + port);
            }
        } else {
            config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + servers)
                .setConnectionMinimumIdleSize(4)
                .setConnectionPoolSize(16);
        }
        redisson = Redisson.create(config);
    }

    private static void answer(String number, String text) {
        synchronized (System.out) {
            System.out.println(number + " " + text);
            System.out.flush();
        }
    }

    private interface Task {
        String run() throws Exception;
    }

    private static void start(ExecutorService where, String number, Task task) {
        where.execute(() -> {
            try {
                answer(number, task.run());
            } catch (Exception e) {
                answer(number, "error " + String.valueOf(e).replaceAll("\\s+", " "));
            }
        });
    }

    private void handle(String number, List<String> words) {
        String what = words.get(0);
        switch (what) {
            case "hello" -> answer(number, "ok redisson " + version());
            case "try", "acquire", "reenter", "renew", "release" -> {
                Hold hold = holds.computeIfAbsent(words.get(1), ignored -> new Hold());
                start(hold.thread, number, () -> switch (what) {
                    case "try" -> acquire(hold, words, 0, 4);
                    case "acquire" -> acquire(hold, words, Long.parseLong(words.get(4)), 5);
                    case "reenter" -> take(hold, 0) ? "held" : "busy";
                    // Of locks Redisson has only the watchdog.
                    case "renew" -> hold.permit == null ? "unsupported" : hold.permit.renew(hold.leaseMs);
                    default -> release(hold);
                });
            }
            case "intrude" -> start(others, number, () -> intrude(lock(words, 1, 2)));
            case "ask" -> start(others, number, () -> ask(words.get(1)));
            case "force" -> start(others, number,
                () -> lock(words, 1, 2).forceUnlock() ? "broken" : "free");
            case "count" -> start(others, number,
                () -> count(words.get(1), Integer.parseInt(words.get(2)), words.get(3)));
            case "missing", "arrive", "await" -> start(others, number, () -> useLatch(what, words));
            default -> answer(number, "unsupported");
        }
    }

    private String useLatch(String what, List<String> words) throws InterruptedException {
        RCountDownLatch latch = redisson.getCountDownLatch(words.get(1));
        // As the parties of a latch do it: the first sets the count. That of an open one is 0.
        if (what.equals("missing")) { latch.trySetCount(Long.parseLong(words.get(2))); }
        switch (what) {
            case "missing": return String.valueOf(latch.getCount());
            case "arrive":
                latch.countDown();
                return "arrived";
            default:
                long wait = Long.parseLong(words.get(3));
                return latch.await(wait, TimeUnit.MILLISECONDS) ? "open" : "closed";
        }
    }

    private static String version() {
        return Redisson.class.getPackage().getImplementationVersion() + " java "
            + Runtime.version().feature();
    }

    /** The lock of this name, of the kind that the options from there on say. */
    private RLock lock(List<String> words, int name, int options) {
        String of = words.get(name);
        for (String option : words.subList(options, words.size())) {
            switch (option) {
                case "fenced": return redisson.getFencedLock(of);
                case "fair": return redisson.getFairLock(of);
                case "spin": return redisson.getSpinLock(of);
                case "read": return redisson.getReadWriteLock(of).readLock();
                case "write": return redisson.getReadWriteLock(of).writeLock();
                case "multi":
                    return redisson.getMultiLock(redisson.getLock(of), redisson.getLock(of + ":second"));
                default: break;
            }
        }
        return redisson.getLock(of);
    }

    private static boolean take(Hold hold, long waitMs) throws InterruptedException {
        return hold.lock.tryLock(waitMs, hold.leaseMs, TimeUnit.MILLISECONDS);
    }

    private String acquire(Hold hold, List<String> words, long waitMs, int options)
            throws InterruptedException {
        List<String> asked = words.subList(options, words.size());
        boolean watchdog = asked.contains("watchdog");
        hold.permit = Permit.of(redisson, words.get(2), asked);
        if (hold.permit != null) {
            hold.leaseMs = Long.parseLong(words.get(3));
            return hold.permit.take(waitMs, hold.leaseMs) ? "held" : "busy";
        }
        hold.lock = lock(words, 2, options);
        hold.leaseMs = watchdog ? -1 : Long.parseLong(words.get(3));
        if (hold.leaseMs == 0) { return "unsupported"; } // every Redisson lock expires
        if (!take(hold, waitMs)) { return "busy"; }
        return hold.lock instanceof RFencedLock fenced ? "held " + fenced.getToken() : "held";
    }

    private static String release(Hold hold) {
        if (hold.permit != null) { return hold.permit.release(); }
        try {
            hold.lock.unlock();
        } catch (IllegalMonitorStateException e) {
            return "lost";
        }
        if (hold.lock instanceof RedissonMultiLock) { return "released"; } // it has no answer to that
        return hold.lock.isHeldByCurrentThread() ? "held" : "released";
    }

    private static String intrude(RLock lock) {
        try {
            lock.unlock();
            return "released";
        } catch (IllegalMonitorStateException e) {
            return "refused";
        }
    }

    private String ask(String name) {
        long left = redisson.getLock(name).remainTimeToLive();
        return left == -2 ? "free" : "held " + left;
    }

    private String count(String name, int times, String file) throws IOException {
        RLock lock = redisson.getLock(name);
        Counter counter = new Counter(file);
        for (int i = 0; i < times; ++i) {
            lock.lock(30_500, TimeUnit.MILLISECONDS);
            try {
                counter.increment();
            } finally {
                lock.unlock();
            }
        }
        return "done " + times;
    }

    public static void main(String[] arguments) throws IOException {
        Driver driver = new Driver(arguments[0], Long.parseLong(arguments[1]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> words = List.of(line.split(" "));
            if (words.size() < 2 || words.get(1).equals("quit")) { break; }
            driver.handle(words.get(0), words.subList(1, words.size()));
        }
        Runtime.getRuntime().halt(0); // releases nothing, as PROTOCOL.md requires
    }
}
