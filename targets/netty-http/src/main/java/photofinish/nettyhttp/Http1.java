package photofinish.nettyhttp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** A connection of HTTP/1.1. */
final class Http1 extends ChannelInboundHandlerAdapter {
  /** Whether the request that is being read has the path. */
  private boolean found;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      found = request.uri().equals(Hello.PATH);
    }
    if (message instanceof LastHttpContent) {
      context.write(response());
    }
    ReferenceCountUtil.release(message);
  }

  private FullHttpResponse response() {
    ByteBuf body = found ? Hello.body() : Unpooled.EMPTY_BUFFER;
    HttpResponseStatus status = found ? HttpResponseStatus.OK : HttpResponseStatus.NOT_FOUND;
    FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, Hello.TYPE);
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    return response;
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
