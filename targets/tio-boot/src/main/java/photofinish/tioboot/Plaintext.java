package photofinish.tioboot;

import com.litongjava.tio.boot.server.TioBootServer;
import com.litongjava.tio.http.common.HttpRequest;
import com.litongjava.tio.http.common.HttpResponse;
import java.nio.charset.StandardCharsets;

/**
 * {@code GET /plaintext} answers {@code Hello, World!}.
 *
 * <p>As published, the handler returns a byte array made once and sets the content type.
 */
final class Plaintext {
  private static final byte[] BODY = "Hello, World!".getBytes(StandardCharsets.UTF_8);

  private Plaintext() {}

  static void route() {
    TioBootServer.me().getRequestRouter().add("/plaintext", Plaintext::answer);
  }

  private static HttpResponse answer(HttpRequest request) {
    HttpResponse response = new HttpResponse(request);
    response.setContentType("text/plain");
    response.setBody(BODY);
    return response;
  }
}
