//! Makes the service's code from its description here: the message is a `StringValue`, which prost has as `String`, so that no
//! compiler of protocol buffers is needed.

use tonic_build::manual::{Builder, Method, Service};

fn main() {
    let unary = Method::builder()
        .name("unary")
        .route_name("Unary")
        .input_type("String")
        .output_type("String")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    let echo = Service::builder()
        .package("echo")
        .name("Echo")
        .method(unary)
        .build();
    Builder::new().build_client(false).compile(&[echo]);
}
