//! actix-web's side of study 2: JSON with and without two rows from PostgreSQL.
//!
//! Both answers are the same bytes as those of spring-boot-mybatis-pg, so that one workload fits.

use std::env;
use std::error::Error;
use std::io::Write;

use actix_web::{App, HttpResponse, HttpServer, error::ErrorInternalServerError, web};
use chrono::NaiveDateTime;
use deadpool_postgres::{Config, Pool, PoolConfig, Runtime};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use tokio_postgres::{NoTls, Row};

/// As many connections as HikariCP holds by default: the study gives no size, and the race shall
/// not be decided by one.
const POOL_SIZE: usize = 10;

/// The published query.
const TWO_ROWS: &str =
    "SELECT id, name, show_flag, create_date, code, parent_code FROM sys_menu LIMIT 2";

#[derive(Serialize)]
struct Answer {
    status: u8,
    msg: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Vec<Menu>>,
}

#[derive(Serialize)]
struct Menu {
    /// Text, because a `numeric(24)` is more than a JSON number can be trusted with.
    #[serde(serialize_with = "as_text")]
    id: Decimal,
    name: String,
    show_flag: i16,
    #[serde(serialize_with = "to_the_second")]
    create_date: NaiveDateTime,
    code: Option<String>,
    parent_code: Option<String>,
}

impl TryFrom<Row> for Menu {
    type Error = tokio_postgres::Error;

    fn try_from(row: Row) -> Result<Self, Self::Error> {
        Ok(Self {
            id: row.try_get(0)?,
            name: row.try_get(1)?,
            show_flag: row.try_get(2)?,
            create_date: row.try_get(3)?,
            code: row.try_get(4)?,
            parent_code: row.try_get(5)?,
        })
    }
}

fn as_text<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn to_the_second<S: Serializer>(value: &NaiveDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&value.format("%Y-%m-%d %H:%M:%S"))
}

/// With the database: a prepared statement from the connection's cache.
async fn with_database(pool: web::Data<Pool>) -> actix_web::Result<HttpResponse> {
    let client = pool.get().await.map_err(ErrorInternalServerError)?;
    let statement = client
        .prepare_cached(TWO_ROWS)
        .await
        .map_err(ErrorInternalServerError)?;
    let rows = client
        .query(&statement, &[])
        .await
        .map_err(ErrorInternalServerError)?;
    let data: Result<Vec<Menu>, _> = rows.into_iter().map(Menu::try_from).collect();
    Ok(HttpResponse::Ok().json(Answer {
        status: 1,
        msg: "two rows of a menu out of a database...",
        data: Some(data.map_err(ErrorInternalServerError)?),
    }))
}

/// Without it: JSON written for each request.
async fn json_only() -> HttpResponse {
    HttpResponse::Ok().json(Answer {
        status: 1,
        msg: "a line of JSON, written for each request..",
        data: None,
    })
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("the environment variable {name} is not set"))
}

fn pool() -> Result<Pool, Box<dyn Error>> {
    let mut config = Config::new();
    config.host = Some(variable("DB_HOST")?);
    config.port = Some(
        variable("DB_PORT")?
            .parse()
            .map_err(|error| format!("DB_PORT: {error}"))?,
    );
    config.dbname = Some(variable("DB_NAME")?);
    config.user = Some(variable("DB_USER")?);
    config.password = Some(env::var("DB_PASSWORD").unwrap_or_default());
    config.pool = Some(PoolConfig::new(POOL_SIZE));
    Ok(config.create_pool(Some(Runtime::Tokio1), NoTls)?)
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(host), Some(port)) = (arguments.next(), arguments.next()) else {
        return Err("the address is missing: actix-web-target HOST PORT".into());
    };
    let port: u16 = port
        .parse()
        .map_err(|error| format!("the port: {error}"))?;
    let pool = web::Data::new(pool()?);
    // One worker a core, actix-web's default.
    HttpServer::new(move || {
        App::new()
            .app_data(pool.clone())
            // The published paths ...
            .route("/echo", web::get().to(with_database))
            .route("/echo3", web::get().to(json_only))
            // ... and those of the other server, so that one workload serves both.
            .route("/mee_auto/echo2", web::get().to(with_database))
            .route("/mee_auto/echo3", web::get().to(json_only))
    })
    .bind((host, port))?
    .run()
    .await?;
    Ok(())
}

#[actix_web::main]
async fn main() {
    if let Err(error) = serve().await {
        // Nothing is left to do when even standard error is gone.
        let _ = writeln!(std::io::stderr(), "{error}");
        std::process::exit(1);
    }
}
