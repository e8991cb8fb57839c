//! The way from a load generator's machine to a server, on which single requests go.

use photofinish_host::Host;
use photofinish_load::once::{self, Ask, Response, Wait};
use photofinish_model::finding::failure::NoResponse;
use photofinish_model::{Address, Exchange, Tls};

/// From which machine to which address requests go.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) from: &'a Host,
    pub(crate) to: &'a Address,
    /// What requests call the server; `None`: by its address.
    pub(crate) called: Option<&'a str>,
    /// How TLS is spoken there; `None`: it is not.
    pub(crate) tls: Option<&'a Tls>,
}

impl Route<'_> {
    /// What requests call the server: the value of HTTP's `Host`.
    pub(crate) fn authority(&self) -> String {
        match self.called {
            Some(called) => called.to_owned(),
            None => self.to.authority(),
        }
    }

    /// Sends one request and returns its response.
    ///
    /// # Errors
    /// As [`once::ask`].
    pub(crate) fn ask(
        &self,
        exchange: &Exchange,
        wait: Wait,
        seed: u64,
    ) -> Result<Response, once::Error> {
        if let (Exchange::TcpEcho { .. }, Some(_)) = (exchange, self.tls) {
            return Err(once::Error::NoResponse(NoResponse::EchoOverTls {}));
        }
        let ask = Ask {
            exchange,
            authority: &self.authority(),
            tls: self.tls,
            seed,
        };
        once::ask(&ask, wait, |within| self.from.connect(self.to, within))
    }
}
