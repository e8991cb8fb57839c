package photofinish.minaecho;

import java.net.InetSocketAddress;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.executor.ExecutorFilter;
import org.apache.mina.filter.executor.OrderedThreadPoolExecutor;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/** Mina's side of study 4: a TCP server that sends back what it gets. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    int cores = Runtime.getRuntime().availableProcessors();

    // As published: as many NIO processors as cores ...
    NioSocketAcceptor acceptor = new NioSocketAcceptor(cores);
    // ... behind them a business pool of one thread a core (it keeps each session's order) ...
    acceptor.getFilterChain().addLast("business", new ExecutorFilter(businessPool(cores)));
    // ... and 2,048 bytes to begin with for a session's reads. Mina doubles or halves that from read
    // to read between its defaults of 64 and 65,536, which is what the study blames for 5k.
    acceptor.getSessionConfig().setReadBufferSize(2048);
    // Not in the study. Without it Nagle's algorithm may hold back the last segment of an answer
    // until the client's delayed acknowledgement; netty-echo sets it too.
    acceptor.getSessionConfig().setTcpNoDelay(true);
    acceptor.setReuseAddress(true);
    // Mina's own default is 50: more connections than that at once would wait for a retry.
    acceptor.setBacklog(1024);
    acceptor.setHandler(new Echo());
    acceptor.bind(address);
  }

  /**
   * What {@code new ExecutorFilter(threads, threads)} makes. Mina 2.0.7 sets the core size while the
   * largest is still 1, which a JDK since 9 refuses, so the core size comes last here.
   */
  private static OrderedThreadPoolExecutor businessPool(int threads) {
    OrderedThreadPoolExecutor pool = new OrderedThreadPoolExecutor(1, threads);
    pool.setCorePoolSize(threads);
    return pool;
  }

  private static final class Echo extends IoHandlerAdapter {
    @Override
    public void messageReceived(IoSession session, Object message) {
      session.write(((IoBuffer) message).duplicate());
    }

    /** A connection that the client broke off; nothing is lost but that. */
    @Override
    @SuppressWarnings("deprecation") // close(boolean) is the one name that 2.0.7 and 2.2 share.
    public void exceptionCaught(IoSession session, Throwable cause) {
      session.close(true);
    }
  }
}
