package photofinish.nettyhttp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * Netty, without a framework: the same response over HTTP/1.1 or HTTP/2, with TLS or without; or an echo over WebSocket.
 */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    switch (args[2]) {
      case "http" -> serve(address, Main::http1, null);
      case "https" -> serve(address, Main::http1, Tls.speaking("http/1.1"));
      case "h2c" -> serve(address, Main::http2, null);
      case "h2" -> serve(address, Main::http2, Tls.speaking("h2"));
      case "websocket" -> serve(address, WebSocketEcho::handlers, null);
      default ->
          throw new IllegalArgumentException(
              args[2] + " is none of http, https, h2c, h2, websocket");
    }
  }

  private static void http1(ChannelPipeline pipeline) {
    pipeline.addLast(new HttpServerCodec(), new HttpServerKeepAliveHandler(), new Http1());
  }

  private static void http2(ChannelPipeline pipeline) {
    pipeline.addLast(Http2FrameCodecBuilder.forServer().build(), new Http2());
  }

  private static void serve(
      InetSocketAddress address, Consumer<ChannelPipeline> handlers, SslContext tls)
      throws InterruptedException {
    int cores = Runtime.getRuntime().availableProcessors();
    IoHandlerFactory nio = NioIoHandler.newFactory();
    new ServerBootstrap()
        .group(new MultiThreadIoEventLoopGroup(1, nio), new MultiThreadIoEventLoopGroup(cores, nio))
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel accepted) {
                ChannelPipeline pipeline = accepted.pipeline();
                if (tls != null) {
                  pipeline.addLast(tls.newHandler(accepted.alloc()));
                }
                handlers.accept(pipeline);
              }
            })
        .bind(address)
        .sync();
  }
}
