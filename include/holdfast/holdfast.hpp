#pragma once
// The whole API. Each header can be included on its own.

#include <holdfast/admin.hpp>
#include <holdfast/barrier.hpp>
#include <holdfast/client.hpp>
#include <holdfast/compat.hpp>
#include <holdfast/diagnose.hpp>
#include <holdfast/election.hpp>
#include <holdfast/error.hpp>
#include <holdfast/fence.hpp>
#include <holdfast/latch.hpp>
#include <holdfast/layout.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/lease_set.hpp>
#include <holdfast/lock_all.hpp>
#include <holdfast/metrics.hpp>
#include <holdfast/metrics_server.hpp>
#include <holdfast/mutex.hpp>
#include <holdfast/observer.hpp>
#include <holdfast/once.hpp>
#include <holdfast/options.hpp>
#include <holdfast/recursive_mutex.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/shared_mutex.hpp>
#include <holdfast/version.hpp>
