//! The AppArmor profile that lets txdeck, at its own path, make user namespaces.

const TEMPLATE: &str = include_str!("../../assets/apparmor-txdeck");
const PLACE: &str = "@EXE@";
/// AppArmor reads these in a path as patterns.
const PATTERN: &str = r#"?*[]{}^"\"#;

/// The profile for the program at `exe_path`, ready for /etc/apparmor.d.
pub fn apparmor_profile(exe_path: &str) -> String {
    let mut quoted = String::from('"');
    for character in exe_path.chars() {
        if PATTERN.contains(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    TEMPLATE.replace(PLACE, &quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_names_the_program_and_grants_user_namespaces() {
        let profile = apparmor_profile("/home/a b/txdeck");
        assert!(profile.contains("profile txdeck \"/home/a b/txdeck\" flags=(unconfined) {"), "{profile}");
        assert!(profile.contains("\n  userns,\n"), "{profile}");
        assert!(!profile.contains(PLACE), "{profile}");
    }

    #[test]
    fn a_path_is_never_a_pattern() {
        assert!(apparmor_profile("/opt/[x]*/txdeck").contains(r#""/opt/\[x\]\*/txdeck""#));
    }
}
