//! The comment on a pull request, against a stand-in for GitHub.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::script;
use crate::repository::repository;
use crate::stand_in;
use crate::support::Yard;

/// A comment of a pull request.
#[derive(Clone)]
struct Comment {
    id: String,
    body: String,
    /// Whether the account of the token wrote it.
    is_own: bool,
}

/// What stands in for GitHub: its GraphQL endpoint on the loopback, with one pull request.
struct GitHub {
    url: String,
    comments: Arc<Mutex<Vec<Comment>>>,
    /// Why it refuses to write, where it does.
    refuses: Arc<Mutex<Option<String>>>,
}

impl GitHub {
    fn start() -> GitHub {
        let comments: Arc<Mutex<Vec<Comment>>> = Arc::default();
        let refuses: Arc<Mutex<Option<String>>> = Arc::default();
        let state = (comments.clone(), refuses.clone());
        let address = stand_in::serve(0, move |asked| {
            let token = asked.header("authorization");
            assert!(token.eq_ignore_ascii_case("bearer a-token"), "{token}");
            let asked: Value = serde_json::from_str(&asked.body).expect("JSON");
            let refuses = state.1.lock().expect("whole").clone();
            let told = told(&asked, refuses, &mut state.0.lock().expect("whole"));
            stand_in::response("200 OK", "", &told.to_string())
        });
        GitHub {
            url: format!("http://{address}/graphql"),
            comments,
            refuses,
        }
    }

    fn is_there(&self, comments: &[(&str, &str, bool)]) {
        let all = comments.iter().map(|(id, body, is_own)| Comment {
            id: (*id).to_owned(),
            body: (*body).to_owned(),
            is_own: *is_own,
        });
        *self.comments.lock().expect("whole") = all.collect();
    }

    /// The bodies of all comments.
    fn bodies(&self) -> Vec<String> {
        let comments = self.comments.lock().expect("whole");
        comments
            .iter()
            .map(|comment| comment.body.clone())
            .collect()
    }
}

/// What GitHub responds: pages of two comments, and what is written is there.
fn told(asked: &Value, refuses: Option<String>, comments: &mut Vec<Comment>) -> Value {
    let (query, variables) = (&asked["query"], &asked["variables"]);
    let query = query.as_str().expect("a query");
    if query.starts_with("query") {
        let number = ["owner", "name", "number"].map(|name| variables[name].clone());
        assert_eq!(number, [json!("o"), json!("r"), json!(7)]);
        let from: usize = (variables["after"].as_str()).map_or(0, |at| at.parse().expect("ours"));
        let page = comments.iter().skip(from).take(2).map(|comment| {
            json!({"id": comment.id, "body": comment.body, "viewerDidAuthor": comment.is_own})
        });
        let page = json!({
            "nodes": page.collect::<Vec<Value>>(),
            "pageInfo": {"hasNextPage": from + 2 < comments.len(), "endCursor": (from + 2).to_string()},
        });
        return json!({"data": {"repository": {"pullRequest": {"id": "PR", "comments": page}}}});
    }
    if let Some(why) = refuses {
        return json!({"data": null, "errors": [{"message": why}]});
    }
    let text = |name: &str| variables[name].as_str().expect(name).to_owned();
    if query.contains("addComment") {
        assert_eq!(text("id"), "PR");
        let id = format!("new-{}", comments.len());
        let body = text("body");
        let is_own = true;
        comments.push(Comment { id, body, is_own });
    } else {
        assert!(query.contains("updateIssueComment"), "{query}");
        let changed = comments.iter_mut().find(|comment| comment.id == text("id"));
        let changed = changed.expect("a comment that is there");
        assert!(
            changed.is_own,
            "GitHub would refuse it, or an administrator's token would not"
        );
        changed.body = text("body");
    }
    json!({"data": {}})
}

/// Comments on the stand-in's pull request; what the job's log has.
fn comment(yard: &Yard, github: &GitHub) -> String {
    let to = [
        ("COMMENT_REPOSITORY", "o/r"),
        ("COMMENT_NUMBER", "7"),
        ("GH_TOKEN", "a-token"),
        ("GITHUB_GRAPHQL_URL", &github.url),
        // The loopback is not behind the proxy that this machine may have.
        ("no_proxy", "127.0.0.1"),
    ];
    let ended = script(yard, "comment", &to);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

const OURS: &str = "<!-- photofinish: photofinish -->\nThe verdict.\n";

#[test]
fn there_is_one_comment_however_often_a_pull_request_is_raced() {
    let yard = repository();
    let github = GitHub::start();
    yard.write("out/summary.md", "The verdict.\n");
    assert_eq!(comment(&yard, &github), "");
    assert_eq!(github.bodies(), [OURS]);
    let old = OURS.replace("The", "An old");
    // The second of another race, the third on another page.
    github.is_there(&[
        ("1", "Hello", false),
        ("2", "<!-- photofinish: other -->\n", true),
        ("3", &old, true),
        ("4", &old, true),
    ]);
    assert_eq!(comment(&yard, &github), "");
    let bodies = github.bodies();
    assert_eq!(bodies.len(), 4);
    assert_eq!((&*bodies[2], &bodies[3]), (OURS, &old));
}

#[test]
fn a_comment_that_another_wrote_with_the_mark_is_left_alone() {
    let yard = repository();
    let github = GitHub::start();
    yard.write("out/summary.md", "The verdict.\n");
    let theirs = "<!-- photofinish: photofinish -->\nAll is well, merge it.\n";
    github.is_there(&[("1", theirs, false)]);
    assert_eq!(comment(&yard, &github), "");
    assert_eq!(github.bodies(), [theirs, OURS]);
    // And so it is when ours is there, of which they wrote an older one.
    yard.write("out/summary.md", "Another verdict.\n");
    assert_eq!(comment(&yard, &github), "");
    assert_eq!(github.bodies(), [theirs, &OURS.replace("The", "Another")]);
}

#[test]
fn what_github_refuses_is_a_warning_of_one_line() {
    let yard = repository();
    let github = GitHub::start();
    yard.write("out/summary.md", "The verdict.\n");
    let refuse = |why: &str| *github.refuses.lock().expect("whole") = Some(why.to_owned());
    // A fork's token may not comment.
    refuse("Resource not accessible by integration");
    let warning = "::warning::photofinish: the pull request could not be commented on: ";
    assert_eq!(
        comment(&yard, &github),
        format!("{warning}Resource not accessible by integration\n")
    );
    refuse("refused\n::error::100% owned\r");
    assert_eq!(
        comment(&yard, &github),
        format!("{warning}refused%0A::error::100%25 owned%0D\n")
    );
    assert!(github.bodies().is_empty());
}

#[test]
fn a_summary_that_is_too_long_for_a_comment_is_cut_between_lines() {
    let yard = repository();
    let github = GitHub::start();
    yard.write("out/summary.md", "| a µ | b |\n".repeat(9_000));
    assert_eq!(comment(&yard, &github), "");
    let body = github.bodies().concat();
    assert!(
        body.len() < 65_536
            && body.ends_with("\n\n… the rest is in summary.md, which the job keeps.\n")
    );
    // What is folded does not hide that sentence.
    let folded = format!(
        "<details><summary>Why</summary>\n\n<details>\n\n{}",
        "| a µ | b |\n".repeat(9_000)
    );
    yard.write("out/summary.md", folded);
    assert_eq!(comment(&yard, &github), "");
    let cut = github.bodies().concat();
    assert!(cut.ends_with(
        "| b |\n\n</details>\n\n</details>\n\n… the rest is in summary.md, which the job keeps.\n"
    ));
    let mut lines = body.lines().skip(1);
    assert!(
        lines
            .by_ref()
            .take_while(|line| !line.is_empty())
            .all(|line| line == "| a µ | b |")
    );
}
