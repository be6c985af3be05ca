//! What a key can mean. The names are the vocabulary of the keymap file.

/// Declares every action once with its name.
macro_rules! actions {
    ($($action:ident $name:literal)*) => {
        /// Something a person can mean by a key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action { $($action),* }

        impl Action {
            pub const ALL: &[Action] = &[$(Action::$action),*];

            pub fn name(self) -> &'static str {
                match self { $(Action::$action => $name),* }
            }
        }
    };
}

actions! {
    StartStop "start_stop"
    Stop "stop"
    Quit "quit"
    PickDown "pick_down"
    PickUp "pick_up"
    StepDown "step_down"
    StepUp "step_up"
    OneLess "one_less"
    OneMore "one_more"
    Type "type"
    Accept "accept"
    Undo "undo"
    Redo "redo"
    Baseline "baseline"
    Freeze "freeze"
    ZoomIn "zoom_in"
    ZoomOut "zoom_out"
    ZoomReset "zoom_reset"
    Unit "unit"
    Big "big"
    ScrollDown "scroll_down"
    ScrollUp "scroll_up"
    NextTheme "next_theme"
    Shot "shot"
    CopyFigures "copy_figures"
    CopyCommand "copy_command"
    Save "save"
    SaveAs "save_as"
    Open "open"
    Devices "devices"
    Log "log"
    Help "help"
    Command "command"
    Find "find"
    Diff "diff"
    Calibrate "calibrate"
    Sweep "sweep"
    Tune "tune"
    PageUp "page_up"
    PageDown "page_down"
    First "first"
    Last "last"
    NextScreen "next_screen"
    Back "back"
    Redraw "redraw"
    Suspend "suspend"
    Restart "restart"
    Edit "edit"
    Toggle "toggle"
    AddFlow "add_flow"
    CopyFlow "copy_flow"
    Remove "remove"
    MoveUp "move_up"
    MoveDown "move_down"
    NextFlow "next_flow"
    FlowBefore "flow_before"
    Frame "frame"
    NextFrame "next_frame"
    FrameBefore "frame_before"
}

impl Action {
    /// By its name; the error proposes the nearest one.
    pub fn from_name(name: &str) -> Result<Action, String> {
        if let Some(action) = Action::ALL.iter().find(|action| action.name() == name) {
            return Ok(*action);
        }
        let near = Action::ALL.iter().map(|action| action.name()).max_by(|a, b| {
            let likeness = |other: &str| strsim::jaro_winkler(name, other);
            likeness(a).total_cmp(&likeness(b))
        });
        Err(format!("{name:?} is no action. Did you mean {:?}? (`none` unbinds)", near.unwrap_or("none")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_few_and_their_names_differ() {
        assert!(Action::ALL.len() <= 80);
        for action in Action::ALL {
            assert_eq!(Action::from_name(action.name()), Ok(*action));
        }
        assert!(Action::from_name("freez").unwrap_err().contains("freeze"));
    }
}
