provider "aws" {
  alias = "west
}
