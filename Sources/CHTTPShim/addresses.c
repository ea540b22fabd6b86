#define _GNU_SOURCE  // be64toh
// How many connections each client address has: a hash table with open addressing.
//
// IPv4 counts by address. IPv6 counts by /64, which is what one customer is given: by address, each
// could have 2^64 times the limit.
#include <arpa/inet.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "internal.h"

static const size_t first_capacity = 256;

bool http_addresses_start(http_address_table *table) {
  pthread_mutex_init(&table->lock, NULL);
  table->places = calloc(first_capacity, sizeof *table->places);
  table->capacity = first_capacity;
  // Secret, so that nobody can choose addresses that collide.
  return table->places &&
         getrandom(table->seeds, sizeof table->seeds, 0) == (ssize_t)sizeof table->seeds;
}

void http_addresses_end(http_address_table *table) {
  free(table->places);
  pthread_mutex_destroy(&table->lock);
}

// Whether an address is IPv4, also in IPv6 clothes; if so, which one.
static bool is_v4(const http_address *address, uint32_t *v4) {
  if (address->any.sa_family == AF_INET) {
    *v4 = ntohl(address->v4.sin_addr.s_addr);
    return true;
  }
  if (!IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr)) return false;
  uint32_t last;
  memcpy(&last, address->v6.sin6_addr.s6_addr + 12, sizeof last);
  *v4 = ntohl(last);
  return true;
}

bool http_address_is_loopback(const http_address *address) {
  uint32_t v4;
  if (is_v4(address, &v4)) return v4 >> 24 == 127;
  return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

static uint64_t key_of(const http_address *address) {
  uint32_t v4;
  // Above IPv4 stands what no client's /64 begins with: it is multicast.
  if (is_v4(address, &v4)) return 0xFFFF000000000000 | v4;
  uint64_t prefix;
  memcpy(&prefix, address->v6.sin6_addr.s6_addr, sizeof prefix);
  return be64toh(prefix);
}

static size_t home_of(const http_address_table *table, uint64_t key) {
  __uint128_t product = (__uint128_t)(key ^ table->seeds[0]) * (table->seeds[1] | 1);
  return (size_t)((uint64_t)product ^ (uint64_t)(product >> 64)) & (table->capacity - 1);
}

// The place of a key, or the free one where it would be. There is always a free one.
static size_t find(const http_address_table *table, uint64_t key) {
  size_t place = home_of(table, key);
  while (table->places[place].count > 0 && table->places[place].key != key)
    place = (place + 1) & (table->capacity - 1);
  return place;
}

static bool grow(http_address_table *table) {
  http_address_table larger = *table;
  larger.capacity *= 2;
  larger.places = calloc(larger.capacity, sizeof *larger.places);
  if (!larger.places) return false;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->places[i].count > 0)
      larger.places[find(&larger, table->places[i].key)] = table->places[i];
  free(table->places);
  table->places = larger.places;
  table->capacity = larger.capacity;
  return true;
}

// Frees a place, and moves those up that it stood in the way of, so that no search ends too early.
static void clear(http_address_table *table, size_t hole) {
  size_t mask = table->capacity - 1;
  for (size_t i = (hole + 1) & mask; table->places[i].count > 0; i = (i + 1) & mask) {
    size_t home = home_of(table, table->places[i].key);
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    table->places[hole] = table->places[i];
    hole = i;
  }
  table->places[hole].count = 0;
  table->used--;
}

bool http_addresses_take(http_address_table *table, const http_address *address, unsigned limit) {
  uint64_t key = key_of(address);
  pthread_mutex_lock(&table->lock);
  size_t place = find(table, key);
  bool is_new = table->places[place].count == 0;
  bool has_room = table->places[place].count < limit;
  if (has_room && is_new && (table->used + 1) * 2 > table->capacity) {
    has_room = grow(table);
    place = find(table, key);
  }
  if (has_room) {
    table->places[place].key = key;
    table->places[place].count++;
    if (is_new) table->used++;
  }
  pthread_mutex_unlock(&table->lock);
  return has_room;
}

void http_addresses_give_back(http_address_table *table, const http_address *address) {
  uint64_t key = key_of(address);
  pthread_mutex_lock(&table->lock);
  size_t place = find(table, key);
  if (table->places[place].count > 1) table->places[place].count--;
  else if (table->places[place].count == 1) clear(table, place);
  pthread_mutex_unlock(&table->lock);
}

size_t http_addresses_count(http_address_table *table) {
  pthread_mutex_lock(&table->lock);
  size_t used = table->used;
  pthread_mutex_unlock(&table->lock);
  return used;
}
