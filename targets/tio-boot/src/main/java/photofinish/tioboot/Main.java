package photofinish.tioboot;

import com.litongjava.tio.boot.TioApplication;
import com.litongjava.tio.boot.server.TioBootServer;
import java.util.concurrent.Executors;

/** tio-boot's side of study 1, on platform or on virtual threads. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    chooseThreads(System.getenv().getOrDefault("APP_THREADS", "platform"));
    TioApplication.run(Main.class, Plaintext::route, args);
  }

  /**
   * tio-boot has no property for virtual threads; both ways in must be taken before it starts.
   *
   * <p>The study says "virtual threads on" and not which way; target.toml says which variant is
   * taken for it.
   */
  private static void chooseThreads(String threads) {
    TioBootServer server = TioBootServer.me();
    switch (threads) {
      // tio-boot's default: one platform thread a core, which reads, handles and writes.
      case "platform" -> {}
      // The workers themselves are virtual, and handlers run on them.
      case "virtual-workers" ->
          server.setWorkThreadFactory(Thread.ofVirtual().name("virtual-worker-", 1).factory());
      // The workers stay platform threads and hand each request to a new virtual thread.
      case "virtual-handlers" ->
          server.setBizExecutor(
              Executors.newThreadPerTaskExecutor(
                  Thread.ofVirtual().name("virtual-handler-", 1).factory()));
      default -> {
        System.err.println(
            "APP_THREADS is '"
                + threads
                + "'; it must be platform, virtual-workers or virtual-handlers");
        System.exit(2);
      }
    }
  }
}
