provider "aws" {
  alias = "west"
