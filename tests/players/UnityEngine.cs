// Stand-ins for the few classes of UnityEngine that players/unity/PeltDrivers.cs uses: enough to compile it, no engine.
namespace UnityEngine
{
    public class Object { public string name; }
    public class Component : Object
    {
        public Transform transform;
        public T[] GetComponentsInChildren<T>(bool inactive) { return null; }
    }
    public class MonoBehaviour : Component { }
    public class TextAsset : Object { public string text; }
    public class Transform : Component
    {
        public Transform parent;
        public Vector3 localPosition, localScale;
        public Quaternion localRotation;
    }
    public class Mesh : Object { public float GetBlendShapeFrameWeight(int shape, int frame) { return 0; } }
    public class SkinnedMeshRenderer : Component
    {
        public Mesh sharedMesh;
        public void SetBlendShapeWeight(int shape, float weight) { }
    }
    public static class JsonUtility { public static T FromJson<T>(string text) { return default(T); } }
    public static class Mathf
    {
        public static float Atan2(float y, float x) { return 0; }
        public static float Exp(float x) { return 0; }
        public static float Clamp(float x, float least, float most) { return 0; }
        public static float Clamp01(float x) { return 0; }
    }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public float magnitude { get { return 0; } }
        public float sqrMagnitude { get { return 0; } }
        public static Vector3 zero { get { return default(Vector3); } }
        public static float Dot(Vector3 a, Vector3 b) { return 0; }
        public static Vector3 Scale(Vector3 a, Vector3 b) { return a; }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return a; }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return a; }
        public static Vector3 operator *(Vector3 a, float s) { return a; }
    }
    public struct Quaternion
    {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
        public static Quaternion identity { get { return default(Quaternion); } }
        public static Quaternion Slerp(Quaternion a, Quaternion b, float t) { return a; }
        public static Quaternion Inverse(Quaternion q) { return q; }
        public static Quaternion Normalize(Quaternion q) { return q; }
        public static Quaternion operator *(Quaternion a, Quaternion b) { return a; }
        public static Vector3 operator *(Quaternion q, Vector3 v) { return v; }
    }
}
