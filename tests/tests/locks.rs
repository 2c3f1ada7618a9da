//! `benches/released` is a workspace of its own: it must build the same versions as everything else, or the `released`
//! arm would compare more than patches.

use std::collections::BTreeMap;
use std::path::Path;

#[derive(serde::Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(serde::Deserialize)]
struct Package {
    name: String,
    version: String,
}

fn versions(path: &str) -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lock: Lock = toml::from_str(&text).unwrap();
    let mut versions = BTreeMap::<_, Vec<_>>::new();
    for package in lock.package {
        versions
            .entry(package.name)
            .or_default()
            .push(package.version);
    }
    versions
}

#[test]
fn released_has_the_versions_of_the_workspace() {
    let (root, released) = (
        versions("Cargo.lock"),
        versions("benches/released/Cargo.lock"),
    );
    let mut common = 0;
    for (name, versions) in &released {
        if let Some(expected) = root.get(name) {
            common += 1;
            for version in versions {
                assert!(
                    expected.contains(version),
                    "{name} {version}, but the root locks {expected:?}"
                );
            }
        }
    }
    assert!(common > 50, "only {common} packages in common");
}
