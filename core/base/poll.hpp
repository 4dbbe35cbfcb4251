// Interruption without clocks or signals in the core: a long loop calls `poll()` now and then, on the thread that
// entered the core. The caller's function throws to stop the work; it decides itself how often to look.
#pragma once

namespace widemargin {

using Poll = void (*)();
inline void never() {}

}  // namespace widemargin
