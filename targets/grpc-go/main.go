// A unary echo with google.golang.org/grpc. The message is a StringValue, whose code comes with protobuf's module, so that no
// compiler of protocol buffers is needed; the service is described as generated code does it.
package main

import (
	"context"
	"flag"
	"log"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type echo struct{}

func (echo) unary(_ context.Context, message *wrapperspb.StringValue) (*wrapperspb.StringValue, error) {
	return wrapperspb.String(message.GetValue()), nil
}

func handler(service any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	message := new(wrapperspb.StringValue)
	if err := decode(message); err != nil {
		return nil, err
	}
	return service.(echo).unary(ctx, message)
}

var description = grpc.ServiceDesc{
	ServiceName: "echo.Echo",
	HandlerType: (*any)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Unary", Handler: handler}},
}

func main() {
	address := flag.String("address", "127.0.0.1:8080", "where to listen")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	server.RegisterService(&description, echo{})
	log.Fatal(server.Serve(listener))
}
