package photofinish.nettyhttp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** What is at the one path that there is. */
final class Hello {
  static final String PATH = "/plaintext";
  static final String TYPE = "text/plain; charset=utf-8";

  private static final ByteBuf BODY =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer().writeBytes("Hello, World!".getBytes(StandardCharsets.US_ASCII)));

  private Hello() {}

  /** The body; the same bytes each time, which nobody copies. */
  static ByteBuf body() {
    return BODY.duplicate();
  }
}
