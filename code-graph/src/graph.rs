//! All files together: nodes, edges in both directions, and the queries over them.
