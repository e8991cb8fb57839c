package photofinish.nettyecho.netty4;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;

/** Today's Netty in the shape of study 4: a TCP server that sends back what it gets. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws InterruptedException {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    int cores = Runtime.getRuntime().availableProcessors();
    String transport = System.getenv().getOrDefault("ECHO_TRANSPORT", "nio");
    switch (transport) {
      case "nio" -> serve(address, cores, NioIoHandler.newFactory(), NioServerSocketChannel.class);
      case "io_uring" -> {
        if (!IoUring.isAvailable()) {
          fail("io_uring cannot be used here: " + reason(IoUring.unavailabilityCause()));
        }
        serve(address, cores, IoUringIoHandler.newFactory(), IoUringServerSocketChannel.class);
      }
      default -> fail("ECHO_TRANSPORT is '" + transport + "'; it must be nio or io_uring");
    }
  }

  private static void serve(
      InetSocketAddress address,
      int cores,
      IoHandlerFactory io,
      Class<? extends ServerSocketChannel> channel)
      throws InterruptedException {
    // As in the study: as many I/O threads as cores, and a business pool of one thread a core.
    // A channel stays with one thread of that pool, which keeps its order.
    EventExecutorGroup business = new DefaultEventExecutorGroup(cores);
    new ServerBootstrap()
        .group(new MultiThreadIoEventLoopGroup(1, io), new MultiThreadIoEventLoopGroup(cores, io))
        .channel(channel)
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(ChannelOption.SO_BACKLOG, 1024)
        // Not in the study; for the reason see mina-echo.
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel accepted) {
                accepted.pipeline().addLast(business, new Echo());
              }
            })
        .bind(address)
        .sync();
  }

  private static String reason(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  private static void fail(String message) {
    System.err.println(message);
    System.exit(1);
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message);
    }

    /** Once for all that one wake-up has read, as Netty 4 means it. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    /** A connection that the client broke off; nothing is lost but that. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
