provider "aws" {
  count = 2
}
