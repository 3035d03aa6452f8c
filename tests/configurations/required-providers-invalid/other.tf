terraform {
  required_providers {
    local = ">= 2"
  }
}
