//! `mcp`: the configured Model Context Protocol servers from the command line.
//!
//! ```text
//!  cli ──▶ setup: Config ──▶ Adapter ──▶ commands ──▶ terminal
//!                               ▲            │
//!            interrupt ─────────┴─ drops ────┘   a dropped command is cancelled on the wire
//! ```
//!
//! Results go to standard output, everything else to standard error. Whatever happens, all
//! servers are closed before the program ends. Exit codes: see [`failure`].

mod arguments;
mod cli;
mod commands;
mod content;
mod failure;
mod interrupt;
mod progress;
mod setup;
mod terminal;
mod text;

use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use clap::Parser;
use mcp_adapter::{Adapter, Remark, Settings};

use self::{cli::Cli, commands::Stage, failure::Failure, interrupt::Interrupt, terminal::Terminal};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let terminal = Arc::new(Terminal::new(cli.wants_json()));
    match run(cli, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(cli: Cli, terminal: &Arc<Terminal>) -> Result<(), Failure> {
    let interrupt = Interrupt::listen();
    let config = setup::load(cli.config.as_deref())?;
    setup::warn(&config, &cli.command, terminal);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?;
    let ended = runtime.block_on(perform(cli, &config, terminal, interrupt));
    // A name that is still being looked up keeps nobody waiting.
    runtime.shutdown_background();
    ended
}

async fn perform(
    cli: Cli,
    config: &mcp_adapter::config::Config,
    terminal: &Arc<Terminal>,
    mut interrupt: Interrupt,
) -> Result<(), Failure> {
    let told = terminal.clone();
    let printing = Arc::new(AtomicUsize::new(0));
    let counted = printing.clone();
    let settings = Settings::default().remarks(move |remark| {
        if matches!(remark, Remark::PrintedText { .. }) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        told.warn(&remark.to_string());
    });
    let adapter = Adapter::new(config, settings);
    let cancelled = Failure::Cancelled {
        asked_for: cli.command.is_open_ended(),
    };
    let stage = Stage {
        adapter: &adapter,
        config,
        terminal,
        printing: &printing,
    };
    let ended = tokio::select! {
        biased;
        () = interrupt.pressed() => Err(cancelled),
        ended = stage.perform(cli.command) => ended,
    };
    terminal.end_progress();
    adapter.close().await;
    ended
}
