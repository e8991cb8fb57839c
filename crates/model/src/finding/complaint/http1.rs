//! What is wrong with a response over HTTP/1.

super::violations! {
    /// How a response breaks HTTP/1 (RFC 9112), or what is accepted of it.
    Http1Violation:
    NotHttp1 "the response is not HTTP/1";
    Tls "the server speaks TLS on this port: write https:// in place of http://, or give the port of plain HTTP";
    LongHead "a response's head is longer than 64 KiB";
    EmptyLine "a response's head has an empty line where none belongs";
    ManyFields "a response has more than 128 header fields";
    FieldName "a response has a header line whose name is not one (a line without a colon, a space before it, or another character that no name may have)";
    FieldValue "a response has a header line whose value has a control character";
    LowStatus "a response's status is below 100";
    ContentLength "a response's Content-Length is not a number";
    ContentLengths "a response has two different Content-Lengths";
    NoChunkSize "a chunk does not begin with its size";
    ChunkSize "a chunk's size is not a hexadecimal number";
    LargeChunkSize "a chunk's size does not fit 64 bits";
    ChunkLineEnd "a chunk's size line does not end in CR LF";
    LongChunkLine "a chunk's size line or trailer is too long";
    LongChunk "a chunk is longer than its size";
    TrailerEnd "a trailer does not end in CR LF";
}
