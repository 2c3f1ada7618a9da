//! Files of parameters: what is read, what is refused, and how sets appear.

mod agreement;
mod blocks;
mod checked;
mod common;
mod damage;
mod points;
mod processes;
mod proof;
mod store;
