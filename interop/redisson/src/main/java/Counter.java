import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A number in a file that nothing guards but the lock. */
final class Counter {
    private final Path file;

    Counter(String file) {
        this.file = Path.of(file);
    }

    void increment() throws IOException {
        long value = Long.parseLong(Files.readString(file).strip());
        Files.writeString(file, Long.toString(value + 1));
    }
}
