// A permit of one of Redisson's semaphores, for Driver.

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

abstract class Permit {
    /** As interop/PROTOCOL.md says. */
    private static final int PERMITS = 2;

    abstract boolean take(long waitMs, long leaseMs) throws InterruptedException;

    abstract String renew(long leaseMs);

    abstract String release();

    /** Null, if the options ask for no semaphore. */
    static Permit of(RedissonClient redisson, String name, List<String> options) {
        if (options.contains("expirable")) {
            return new Expirable(redisson.getPermitExpirableSemaphore(name));
        }
        return options.contains("semaphore") ? new Usual(redisson.getSemaphore(name)) : null;
    }

    private static final class Expirable extends Permit {
        private final RPermitExpirableSemaphore semaphore;
        private String id;

        Expirable(RPermitExpirableSemaphore semaphore) {
            this.semaphore = semaphore;
            semaphore.trySetPermits(PERMITS);
        }

        @Override
        boolean take(long waitMs, long leaseMs) throws InterruptedException {
            id = semaphore.tryAcquire(waitMs, leaseMs, TimeUnit.MILLISECONDS);
            return id != null;
        }

        @Override
        String renew(long leaseMs) {
            return semaphore.updateLeaseTime(id, leaseMs, TimeUnit.MILLISECONDS) ? "renewed" : "lost";
        }

        @Override
        String release() {
            return semaphore.tryRelease(id) ? "released" : "lost";
        }
    }

    /** It has no leases. */
    private static final class Usual extends Permit {
        private final RSemaphore semaphore;

        Usual(RSemaphore semaphore) {
            this.semaphore = semaphore;
            semaphore.trySetPermits(PERMITS);
        }

        @Override
        boolean take(long waitMs, long leaseMs) throws InterruptedException {
            return semaphore.tryAcquire(java.time.Duration.ofMillis(waitMs));
        }

        @Override
        String renew(long leaseMs) {
            return "unsupported";
        }

        @Override
        String release() {
            semaphore.release();
            return "released";
        }
    }
}
