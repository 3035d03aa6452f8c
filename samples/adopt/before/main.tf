provider "aws" {
  alias  = "eu"
  region = "eu-west-1"
}

provider "aws" {
  alias  = "us"
  region = "us-east-1"
}

resource "aws_sqs_queue" "jobs_eu" {
  provider = aws.eu
  name     = "jobs"
}

resource "aws_sqs_queue" "jobs_us" {
  provider = aws.us
  name     = "jobs"
}
