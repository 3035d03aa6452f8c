provider "aws" {
  _ {
    version = "the provider's own"
  }
}
