// Every screen as screens.test.ts looks at it, on a phone: narrow, and pressed by a finger.
// G-14
import { testScreens } from "./harness/screen-tests.ts";

testScreens(390, 844);
