package photofinish.nettyhttp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.util.ReferenceCountUtil;

/** A connection of WebSocket that sends each message back; pings and the close are answered by Netty. */
final class WebSocketEcho extends ChannelInboundHandlerAdapter {
  /** Bytes of the longest frame, as the Go server beside it takes. */
  private static final int LONGEST = 1 << 20;

  /** Bytes of the longest request to upgrade. */
  private static final int UPGRADE = 65_536;

  static void handlers(ChannelPipeline pipeline) {
    pipeline.addLast(
        new HttpServerCodec(),
        new HttpObjectAggregator(UPGRADE),
        new WebSocketServerProtocolHandler("/", null, false, LONGEST),
        new WebSocketEcho());
  }

  /** A frame goes back as it is, so that a message in several frames comes back in as many. */
  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof WebSocketFrame frame) {
      context.write(frame);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  /** Once for all that one wake-up has read. */
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
