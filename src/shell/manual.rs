//! The manual page and shell completions, made from the command line's own description.

use crate::shell::{
    args::{self, Common},
    failure::Failure,
    listing,
    output::Ending,
};

pub fn completions(shell: clap_complete::Shell, common: &Common) -> Result<u8, Ending> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "txdeck", &mut text);
    listing::put(&String::from_utf8_lossy(&text), common)
}

pub fn page(common: &Common) -> Result<u8, Ending> {
    let text = text().map_err(|why| Failure::new("man", format!("writing the manual page failed: {why}")))?;
    listing::put(&text, common)
}

/// One page: the program, then each command as a section of its own.
fn text() -> std::io::Result<String> {
    let mut command = args::command();
    command.build();
    // What short help leaves out would stand in the page without a word.
    let command = command.mut_args(in_full).mut_subcommands(|sub| sub.mut_args(in_full));
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for sub in command.get_subcommands() {
        page.push_str(&section(sub)?);
    }
    Ok(page)
}

fn in_full(option: clap::Arg) -> clap::Arg {
    option.hide_short_help(false)
}

fn section(sub: &clap::Command) -> std::io::Result<String> {
    let man = clap_mangen::Man::new(sub.clone());
    let mut body = Vec::new();
    man.render_synopsis_section(&mut body)?;
    man.render_description_section(&mut body)?;
    man.render_options_section(&mut body)?;
    man.render_extra_section(&mut body)?;
    let body = String::from_utf8_lossy(&body).replace("\n.SH ", "\n.SS ");
    let body = body.strip_prefix(".SH ").map_or_else(|| body.clone(), |rest| format!(".SS {rest}"));
    Ok(format!(".SH \"TXDECK {}\"\n{body}", sub.get_name().to_uppercase()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_has_a_section_and_its_options() {
        let page = super::text().unwrap();
        for text in [".TH txdeck 1", "TXDECK RUN", "TXDECK LAB", "\\-\\-interval", "\\-\\-print\\-apparmor"] {
            assert!(page.contains(text), "{text} is not in the manual");
        }
        for help in ["Lift the guard of this one device", "Draw with ASCII only", "Which lab, when several run"] {
            assert!(page.contains(help), "an option stands in the manual without \"{help}\"");
        }
    }
}
