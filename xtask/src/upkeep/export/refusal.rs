//! Why an export is refused. Nothing has been written then.

use thiserror::Error;

/// Why commits do not become patches, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Something is in no commit.
    #[error("{what}: commit it, put it away, or delete it (ignored files count as well)")]
    Loose {
        /// What.
        what: String,
    },
    /// A commit is checked out that no branch has which is exported.
    #[error(
        "{what} is checked out, and no export reads it: put its commits on `series` or on `off/SLUG`, then `git switch series`"
    )]
    OtherHead {
        /// The branch or commit.
        what: String,
    },
    /// A branch is missing.
    #[error("there is no branch `series`: `git branch series COMMIT` brings it back")]
    NoSeries,
    /// The first commit is not the release.
    #[error(
        "`series` begins with tree {found}, and the release of {release} is tree {expected}: \
         patches are made on the release itself, so `git rebase` them onto {import}"
    )]
    Import {
        /// Crate and version.
        release: String,
        /// The tree that it must be.
        expected: String,
        /// The tree that it is.
        found: String,
        /// The commit of the release.
        import: String,
    },
    /// The edit stands on another release than stack.toml has.
    #[error(
        "the edit was opened on {old}, and extern/stack.toml has {new}: open it anew (`--discard` throws the commits away; \
         `git format-patch` rescues them)"
    )]
    OtherRelease {
        /// Crate and version of the edit.
        old: String,
        /// Version now.
        new: String,
    },
    /// A commit with two parents.
    #[error(
        "{commit} is a merge: a patch has one commit before it; `git rebase` makes a line of it"
    )]
    Merge {
        /// The commit.
        commit: String,
    },
    /// A commit that is meant for another one.
    #[error(
        "{commit} is meant to be squashed into another one: `git rebase -i --autosquash {import}`"
    )]
    Fixup {
        /// The commit.
        commit: String,
        /// The commit of the release.
        import: String,
    },
    /// A commit without a slug.
    #[error(
        "{commit}: its subject must be `slug: what it does`, the slug of lower-case letters and digits with single hyphens \
         between; `git commit --amend` or `git rebase -i` changes it"
    )]
    NoSlug {
        /// The commit.
        commit: String,
    },
    /// Two commits with one slug.
    #[error("{first} and {second} have one slug: squash them, or give one a slug of its own")]
    Twice {
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A commit that changes nothing.
    #[error("{commit} changes no file: `git rebase -i` drops it")]
    Nothing {
        /// The commit.
        commit: String,
    },
    /// A change that no patch can hold.
    #[error("{commit}: {text}")]
    Content {
        /// The commit.
        commit: String,
        /// What about it.
        text: String,
    },
    /// A branch of a patch that is off is not one commit.
    #[error(
        "branch `{branch}` has {count} commits of its own, and must have one, on a commit of `series` or on another branch \
         `off/…`: `git rebase --onto COMMIT {branch}~1 {branch}` moves the last one"
    )]
    NotOne {
        /// The branch.
        branch: String,
        /// How many there are.
        count: usize,
    },
    /// A branch whose commit has another slug.
    #[error(
        "branch `{branch}` holds {commit}: branch and slug must agree; `git branch -m` renames it"
    )]
    OtherSlug {
        /// The branch.
        branch: String,
        /// The commit.
        commit: String,
    },
    /// A patch of the default series on a branch of its own.
    #[error(
        "branch `{branch}`: `{slug}` is on in extern/stack.toml, so its commit belongs on `series`; \
         to switch it off, set default = false there and open the edit anew"
    )]
    OnApart {
        /// The branch.
        branch: String,
        /// The slug.
        slug: String,
    },
    /// A patch that is off, below one that is on.
    #[error(
        "{commit} is off{new}, and `{above}` above it is on, which would then be made for a file that no stack has: \
         move it to the end of `series` (`git rebase -i {import}`)"
    )]
    OffBelow {
        /// The commit.
        commit: String,
        /// Why it is off, when it is new.
        new: String,
        /// The slug above it.
        above: String,
        /// The commit of the release.
        import: String,
    },
    /// A patch that has no commit any more.
    #[error(
        "no commit has {slugs} any more: say `--drop` for each that is to leave {name}, or bring its commit back \
         (`git reflog`)"
    )]
    Gone {
        /// The slugs, quoted.
        slugs: String,
        /// The crate.
        name: String,
    },
    /// `--drop` of what is there.
    #[error(
        "--drop {slug}: {commit} has it still: drop the commit first (`git rebase -i {import}`)"
    )]
    DropThere {
        /// The slug.
        slug: String,
        /// The commit.
        commit: String,
        /// The commit of the release.
        import: String,
    },
    /// `--drop` of what never was.
    #[error("--drop {slug}: {name} has no such patch")]
    DropUnknown {
        /// The slug.
        slug: String,
        /// The crate.
        name: String,
    },
    /// `--kind` without anything new.
    #[error(
        "--kind is for commits with a new slug, and there is none: leave it out, for the others have their kind in extern/stack.toml"
    )]
    KindOfNothing,
    /// `--kind` of one that is on, for a branch of those that are off.
    #[error(
        "branch `{branch}` is for what is off, and kind {kind} is on: put its commit on `series`"
    )]
    KindApart {
        /// The branch.
        branch: String,
        /// The kind.
        kind: String,
    },
    /// Patches on disk changed meanwhile.
    #[error(
        "extern/ moved on since the edit was opened ({what}), and the export would undo that: commit or save one of the two, \
         then `cargo xtask patch edit {name} --discard` opens the edit anew (`git format-patch` rescues commits)"
    )]
    MovedOn {
        /// What, clauses.
        what: String,
        /// The crate.
        name: String,
    },
    /// An order that another crate does not allow.
    #[error(
        "the commits of {name} need another order in extern/stack.toml, and {other} needs `{first}` before `{second}` \
         (both change `{file}` there): move the commits back, or change {other} first"
    )]
    OtherOrder {
        /// The crate that is exported.
        name: String,
        /// The crate that does not allow it.
        other: String,
        /// The slug that comes first there.
        first: String,
        /// The slug that comes after it.
        second: String,
        /// A file of both.
        file: String,
    },
    /// An order that a `Depends` trailer does not allow.
    #[error(
        "the commits come in an order in which `{second}` is before `{first}`, on which it depends: move one of them"
    )]
    DependsOrder {
        /// What is needed.
        first: String,
        /// What needs it.
        second: String,
    },
}
