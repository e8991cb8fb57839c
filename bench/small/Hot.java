// A small server on the JDK's own HTTP server, with a function that is planted: bench/because looks whether it is found.
//   java -Xmx256m bench/small/Hot.java PORT ROUNDS
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;

public class Hot {
    // What a request's work came to: written, so that no compiler leaves the work out.
    static volatile long worked;

    // The planted function: so many rounds of a shift register.
    static long hot(int rounds) {
        long register = 0x9e3779b97f4a7c15L;
        for (int round = 0; round < rounds; round++) {
            register ^= register << 13;
            register ^= register >>> 7;
            register ^= register << 17;
        }
        return register;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[1]);
        byte[] body = "Hello, World!".getBytes();
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/", exchange -> {
            worked = hot(rounds);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
