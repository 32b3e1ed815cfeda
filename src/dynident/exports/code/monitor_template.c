static double clip(double x, double limit)
{
  return x > limit ? limit : x < -limit ? -limit : x;
}

/* Standard deviations of the residuals by noise, and their distance: the root of the least (r - e)' S^-1 (r - e) with |e| <= allowance. */
static double measure(const double inertia[$square], const double residual[$n], const double allowance[$n], double std[$n])
{
  static const double velocity[$n] = {$velocity_noise}, effort[$n] = {$effort_noise};
  double S[$n][$n], left[$n], share[$n], slope[$n] = {0.0}, carried[$n], total;
  int i, j, k;
  for (i = 0; i < $n; ++i) {
    for (k = 0; k < $n; ++k) {
      carried[k] = inertia[$n * i + k] * velocity[k];
    }
    for (j = 0; j <= i; ++j) {
      total = i == j ? effort[i] : 0.0;
      for (k = 0; k < $n; ++k) {
        total += carried[k] * inertia[$n * j + k];
      }
      S[i][j] = S[j][i] = total;
    }
    std[i] = sqrt(S[i][i]);
  }
  for (k = 0; k < $n; ++k) { /* the inverse in its place */
    const double pivot = 1.0 / S[k][k];
    S[k][k] = 1.0;
    for (j = 0; j < $n; ++j) {
      S[k][j] *= pivot;
    }
    for (i = 0; i < $n; ++i) {
      if (i != k) {
        const double factor = S[i][k];
        S[i][k] = 0.0;
        for (j = 0; j < $n; ++j) {
          S[i][j] -= factor * S[k][j];
        }
      }
    }
  }
  for (j = 0; j < $n; ++j) {
    left[j] = residual[j] - clip(residual[j], allowance[j]);
    share[j] = 1.0 / S[j][j];
    for (k = 0; k < $n; ++k) {
      slope[k] += S[j][k] * left[j];
    }
  }
  for (i = 0; i < $rounds; ++i) {
    for (j = 0; j < $n; ++j) {
      const double change = residual[j] - clip(residual[j] - left[j] + slope[j] * share[j], allowance[j]) - left[j];
      left[j] += change;
      for (k = 0; k < $n; ++k) {
        slope[k] += change * S[j][k];
      }
    }
  }
  total = 0.0;
  for (j = 0; j < $n; ++j) {
    total += left[j] * slope[j];
  }
  return total < 0.0 ? 0.0 : sqrt(total);
}

void ${prefix}_monitor_init(${prefix}_monitor *monitor)
{
  static const double level[$n] = {$levels};
  static const double blur[$n] = {$blurs};
  int j;
  for (j = 0; j < $n; ++j) {
    monitor->level[j] = level[j];
    monitor->blur[j] = blur[j];
  }
  monitor->distance_level = $distance_level;
  monitor->confirmation = $confirmation;
  monitor->started = 0;
  monitor->touched = -1;
  for (j = 0; j < $n; ++j) {
    monitor->residual[j] = monitor->allowance[j] = 0.0;
    monitor->threshold[j] = INFINITY;
  }
  for (j = 0; j < $timers; ++j) {
    monitor->above[j] = 0.0;
  }
  monitor->distance = 0.0;
}

int ${prefix}_monitor_step(${prefix}_monitor *monitor, $arguments, double dt)
{
  double now[$all], std[$n], nearness = 0.0;
  const double *before = monitor->balance;
  const int restart = !monitor->started || dt > $pause;
  int j, nearest = 0;
$decays
  find_balance($call, monitor->blur, now);
  for (j = 0; j < $n; ++j) {
    const double doubt = now[j + $doubt];
    if (restart) {
      monitor->residual[j] = 0.0;
      monitor->allowance[j] = doubt;
    } else {
${decay}      const double outside = (now[j] - before[j]) / dt - 0.5 * (now[j + $n] + before[j + $n]);
      monitor->residual[j] = a * monitor->residual[j] + (1.0 - a) * outside;
      monitor->allowance[j] = a * monitor->allowance[j] + (1.0 - a) * (0.5 * (doubt + before[j + $doubt]));
    }
  }
  monitor->distance = measure(now + $balance, monitor->residual, monitor->allowance, std);
  monitor->touched = -1;
  for (j = 0; j < $n; ++j) {
    const double size = fabs(monitor->residual[j]);
    monitor->threshold[j] = monitor->level[j] * std[j] + monitor->allowance[j];
    monitor->above[j] = restart || size <= monitor->threshold[j] ? 0.0 : monitor->above[j] + dt;
    if (!(monitor->above[j] < monitor->confirmation) && monitor->above[j] != 0.0) {
      monitor->touched = j;
    }
    if (size > nearness * monitor->threshold[j]) {
      nearest = j;
      nearness = size / monitor->threshold[j];
    }
  }
  monitor->above[$n] = restart || monitor->distance <= monitor->distance_level ? 0.0 : monitor->above[$n] + dt;
  if (monitor->touched < 0 && !(monitor->above[$n] < monitor->confirmation) && monitor->above[$n] != 0.0) {
    monitor->touched = nearest;
  }
  for (j = 0; j < $balance; ++j) {
    monitor->balance[j] = now[j];
  }
  monitor->started = 1;
  return monitor->touched;
}
