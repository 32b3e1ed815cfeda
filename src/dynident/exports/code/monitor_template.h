/* All that the monitor remembers. What init sets in the first four may be changed before the first step. */
typedef struct {
  double level[$n];         /* thresholds of joints that move [$level_unit] */
  double blur[$n];          /* by how much a measured velocity may be off [$velocity] */
  double distance_level;   /* threshold of the distance */
  double confirmation;     /* how long a residual must stay above its threshold [s] */
  double residual[$n];      /* torque from outside [$unit] */
  double threshold[$n];     /* of this sample: level and allowance [$unit] */
  double allowance[$n];     /* for friction near rest [$unit] */
  double distance;         /* of all residuals together [standard deviations] */
  double above[$timers];         /* how long a residual has been above, last the distance [s] */
  double balance[$balance]; /* momentum, its rate, doubt about friction: of the sample before */
  int touched;             /* the last joint that is touched, from 0; -1 for none */
  int started;
} ${prefix}_monitor;

/* Before the first step, and to start again. */
void ${prefix}_monitor_init(${prefix}_monitor *monitor);

/* One sample, dt seconds after the one before; of the first, and after more than $pause s, dt tells nothing.
 * Returns `touched`: a contact is on the link of that joint, or beyond it with a force that no joint beyond feels.
 * An input that is no number counts as a contact until init is called. */
int ${prefix}_monitor_step(${prefix}_monitor *monitor, $arguments, double dt);
