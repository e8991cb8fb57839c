package photofinish.grpcecho;

import com.google.protobuf.StringValue;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import java.net.InetSocketAddress;

/**
 * A unary echo with grpc-java. The message is a StringValue, whose code comes with protobuf's library, so that no compiler of protocol
 * buffers is needed; the service is described as generated code does it.
 */
public final class Main {
    private static final MethodDescriptor<StringValue, StringValue> UNARY = MethodDescriptor.<StringValue, StringValue>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("echo.Echo/Unary")
            .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
            .build();

    private Main() {}

    public static void main(String[] args) throws Exception {
        ServerServiceDefinition echo = ServerServiceDefinition.builder("echo.Echo")
                .addMethod(UNARY, ServerCalls.asyncUnaryCall((message, replies) -> {
                    replies.onNext(StringValue.of(message.getValue()));
                    replies.onCompleted();
                }))
                .build();
        InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        NettyServerBuilder server = NettyServerBuilder.forAddress(address).addService(echo);
        // On the event loops' own threads, where the method waits for nothing; else on a pool of threads, as by default.
        if (args.length > 2 && args[2].equals("direct")) {
            server.directExecutor();
        }
        server.build().start().awaitTermination();
    }
}
