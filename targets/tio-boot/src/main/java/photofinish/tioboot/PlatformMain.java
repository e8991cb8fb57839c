package photofinish.tioboot;

import com.litongjava.tio.boot.TioApplication;

/** The same server for releases in which the threads cannot be chosen. */
public final class PlatformMain {
  private PlatformMain() {}

  public static void main(String[] args) {
    TioApplication.run(PlatformMain.class, Plaintext::route, args);
  }
}
