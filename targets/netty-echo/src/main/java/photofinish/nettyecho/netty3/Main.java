package photofinish.nettyecho.netty3;

import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import org.jboss.netty.bootstrap.ServerBootstrap;
import org.jboss.netty.channel.ChannelHandlerContext;
import org.jboss.netty.channel.Channels;
import org.jboss.netty.channel.ExceptionEvent;
import org.jboss.netty.channel.MessageEvent;
import org.jboss.netty.channel.SimpleChannelUpstreamHandler;
import org.jboss.netty.channel.socket.nio.NioServerSocketChannelFactory;
import org.jboss.netty.handler.execution.ExecutionHandler;
import org.jboss.netty.handler.execution.OrderedMemoryAwareThreadPoolExecutor;

/** Netty 3's side of study 4: a TCP server that sends back what it gets. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    int cores = Runtime.getRuntime().availableProcessors();

    // As published: as many NIO workers as cores ...
    ServerBootstrap server =
        new ServerBootstrap(
            new NioServerSocketChannelFactory(
                Executors.newCachedThreadPool(), Executors.newCachedThreadPool(), cores));
    // ... behind them a business pool of one thread a core (it keeps each channel's order). The
    // zeros set no bound on the memory that waits, since Mina's ExecutorFilter has none either.
    ExecutionHandler business =
        new ExecutionHandler(new OrderedMemoryAwareThreadPoolExecutor(cores, 0, 0));
    server.setPipelineFactory(() -> Channels.pipeline(business, new Echo()));
    // Not in the study; for the reason see mina-echo. The size of the next read is left to Netty,
    // which predicts it from past reads (64 to 65,536 bytes, 1,024 to begin with).
    server.setOption("child.tcpNoDelay", true);
    server.setOption("reuseAddress", true);
    server.setOption("backlog", 1024);
    server.bind(address);
  }

  private static final class Echo extends SimpleChannelUpstreamHandler {
    @Override
    public void messageReceived(ChannelHandlerContext context, MessageEvent event) {
      event.getChannel().write(event.getMessage());
    }

    /** A connection that the client broke off; nothing is lost but that. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, ExceptionEvent event) {
      event.getChannel().close();
    }
  }
}
