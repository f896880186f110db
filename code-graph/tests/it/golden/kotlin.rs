//! kotlin
