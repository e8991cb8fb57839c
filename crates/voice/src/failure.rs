//! Failures: their causes are English, and quoted in Chinese.

photofinish_model::messages! { "failure";
    because(cause: Quoted) "{cause}", "{cause}";
}
