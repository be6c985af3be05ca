//! The last steps that every import shares: the draft is checked, and what rides along in comments is put back.

use crate::profile::Problems;

use super::{Draft, Imported, Refused, Report, carry};

/// A profile's name out of a file's: without folders and ending.
pub fn stem(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.split('.').next().unwrap_or(name);
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// `text` is the foreign file, `sign` begins its comments.
///
/// # Errors
/// A draft that makes no profile, every reason in the profile's words.
pub fn finish(file: &str, text: &str, sign: &str, draft: Draft, mut report: Report) -> Result<Imported, Refused> {
    let mut document = draft.document(file).map_err(|problems| refused(file, &problems))?;
    carry::restore(&mut document, text, sign, &mut report);
    report.sort();
    Ok(Imported { text: document.text().to_string(), report })
}

fn refused(file: &str, problems: &Problems) -> Refused {
    let reason = |problem: &crate::profile::Problem| match problem.key.is_empty() {
        true => problem.message.clone(),
        false => format!("{}: {}", problem.key, problem.message),
    };
    Refused { file: file.into(), reasons: problems.0.iter().take(20).map(|problem| (0, reason(problem))).collect() }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn a_name_comes_of_the_file() {
        for (file, name) in [("a/b/imix_3pkt.yaml", "imix_3pkt"), ("x.tar.gz", "x"), ("-", "-"), ("", "")] {
            assert_eq!(stem(file), name);
        }
    }
}
