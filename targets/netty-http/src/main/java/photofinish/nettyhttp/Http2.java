package photofinish.nettyhttp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;

/** A connection of HTTP/2; requests have no body here. */
final class Http2 extends ChannelInboundHandlerAdapter {
  @Override
  public void channelRead(ChannelHandlerContext context, Object frame) {
    if (frame instanceof Http2HeadersFrame head && head.isEndStream()) {
      boolean found = Hello.PATH.contentEquals(head.headers().path());
      respond(context, head.stream(), found);
    }
    ReferenceCountUtil.release(frame);
  }

  private static void respond(
      ChannelHandlerContext context, Http2FrameStream stream, boolean found) {
    HttpResponseStatus status = found ? HttpResponseStatus.OK : HttpResponseStatus.NOT_FOUND;
    Http2Headers headers = new DefaultHttp2Headers().status(status.codeAsText());
    if (!found) {
      context.write(new DefaultHttp2HeadersFrame(headers, true).stream(stream));
      return;
    }
    headers.set(HttpHeaderNames.CONTENT_TYPE, Hello.TYPE);
    headers.setInt(HttpHeaderNames.CONTENT_LENGTH, Hello.body().readableBytes());
    context.write(new DefaultHttp2HeadersFrame(headers).stream(stream));
    context.write(new DefaultHttp2DataFrame(Hello.body(), true).stream(stream));
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
