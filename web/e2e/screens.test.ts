// Every screen in light and dark and in both languages, on a wide window: held against axe, nothing wider than its place
// or too small to press, and kept as pictures for people to look at (RURI_ARTIFACTS, folder screens).
// G-14
import { testScreens } from "./harness/screen-tests.ts";

testScreens(1440, 900);
