package photofinish.nettyhttp;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;

/** TLS as the JDK speaks it, with a certificate that is made at the start. */
final class Tls {
  private static final String PASSWORD = "photofinish";

  private Tls() {}

  /** For connections on which nothing else is spoken. */
  static SslContext speaking(String protocol) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(selfSigned(), PASSWORD.toCharArray());
    return SslContextBuilder.forServer(keys)
        .sslProvider(SslProvider.JDK)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                protocol))
        .build();
  }

  /** On the curve P-256, as nginx and Go have it here; the JDK makes one by its keytool alone. */
  private static KeyStore selfSigned() throws Exception {
    Path folder = Files.createTempDirectory("netty-http");
    Path store = folder.resolve("keys.p12");
    try {
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair", "-alias", "localhost", "-dname", "CN=localhost",
                  "-ext", "san=dns:localhost,ip:127.0.0.1", "-keyalg", "EC",
                  "-groupname", "secp256r1", "-validity", "365", "-storetype", "PKCS12",
                  "-keystore", store.toString(), "-storepass", PASSWORD)
              .inheritIO()
              .start();
      if (keytool.waitFor() != 0) {
        throw new IllegalStateException("keytool made no certificate");
      }
      return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    } finally {
      Files.deleteIfExists(store);
      Files.deleteIfExists(folder);
    }
  }
}
