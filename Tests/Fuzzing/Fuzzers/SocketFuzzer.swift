func fuzzSocket(_ bytes: [UInt8]) throws(Finding) {}
